import { render } from 'preact';
import { App } from './app.tsx';
import './style/base.css';
import './style/page.css';
import { labelStyles } from './nonce.ts';

labelStyles(document);
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
