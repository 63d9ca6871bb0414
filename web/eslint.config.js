import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import config from './svelte.config.js';

export default ts.config(
  { ignores: ['node_modules'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  ...svelte.configs.prettier,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig: config },
    },
    rules: {
      // Only what `safe/` has cleaned is ever put in as HTML; those places say so themselves.
      'svelte/no-at-html-tags': 'error',
      // Addresses of this page are made in one place, client/address.ts.
      'svelte/no-navigation-without-resolve': 'off',
      // Maps and sets of the model are plain on purpose: a page is told of a change once a frame.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
);
