/** Finds what a client runs on beside Node: Bun and Deno from npm. */
import { join } from 'node:path';
import { installedAt } from './installed.ts';

/** Programs of the fixture `runtimes`, which other packages bring for each platform. */
export function runtimePrograms(): { readonly bun: string; readonly deno: string } {
  const [bun, deno] = process.arch === 'arm64' ? ['aarch64', 'arm64'] : ['x64', 'x64'];
  const modules = join(installedAt('runtimes'), 'node_modules');
  return {
    bun: join(modules, `@oven/bun-linux-${bun}/bin/bun`),
    deno: join(modules, `@deno/linux-${deno}-glibc/deno`),
  };
}
