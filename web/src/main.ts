import { mount } from 'svelte';
import App from './App.svelte';
import { archiveIn } from './client/archive';
import SavedApp from './SavedApp.svelte';
import './theme.css';
import './stream/words.css';

const archive = archiveIn(document);
if (archive === null) mount(App, { target: document.body });
else mount(SavedApp, { target: document.body, props: { archive } });
