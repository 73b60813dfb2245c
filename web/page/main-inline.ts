/** The entry of standalone.html. */
import './style/index.css';
import { inlineSite } from './run/site-inline.ts';
import { useSite } from './run/site.ts';
import { applyTheme, storedTheme } from './state/settings.ts';
import './app.ts';

applyTheme(document.documentElement, storedTheme());
useSite(inlineSite());
document.body.append(document.createElement('al-app'));
