/** Builds the dashboard into the package: self-contained, without source maps, with a mark where the service puts the nonce. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  base: '/',
  logLevel: 'warn',
  html: { cspNonce: '__CSP_NONCE__' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { 'caisson/client': at('../src/client/index.ts') } },
  build: {
    outDir: at('dist'),
    emptyOutDir: true,
    target: 'es2024',
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
});
