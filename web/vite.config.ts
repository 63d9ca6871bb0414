import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// File names without hashes: the server sends an ETag, and a build shows in git as a change of the
// same few files.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../src/unbraid/serve/static',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'sign-in.html'],
      output: {
        entryFileNames: ({ name }) => `assets/${name === 'index' ? 'page' : name}.js`,
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
  // A busy machine is slow, not wrong.
  test: { testTimeout: 120_000 },
  server: { proxy: { '/v1': 'http://127.0.0.1:8420' } },
});
