// The health check: exits 0 when the service takes requests at the URL of the first argument, else 1.
'use strict';
const { get } = require('node:http');

const withinMs = 4000;

get(`${process.argv[2]}/readyz`, { timeout: withinMs }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
