import { mount } from 'svelte';
import App from './App.svelte';
import './theme.css';
import './stream/words.css';

mount(App, { target: document.body });
