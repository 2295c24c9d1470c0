/** `npm run dashboard`: builds the dashboard for the service of a checkout, where its sources have changed. */
import { fileURLToPath } from 'node:url';
import { buildDashboard } from './build/dashboard.ts';

const wasBuilt = await buildDashboard(fileURLToPath(new URL('..', import.meta.url)));
console.log(wasBuilt ? 'built dashboard/dist' : 'dashboard/dist is as its sources are');
