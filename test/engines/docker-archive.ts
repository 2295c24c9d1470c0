/** An image as `docker save` writes it, from the tar of a root file system, without any engine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Image {
  readonly tag?: string;
  readonly Env?: readonly string[];
  readonly Cmd?: readonly string[];
}

export async function makeDockerArchive(
  layer: string,
  archive: string,
  { tag = 'caisson-test:latest', ...config }: Image = {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-docker-archive-'));
  try {
    copyFileSync(layer, join(directory, 'layer.tar'));
    const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
    const image = {
      architecture: 'amd64',
      os: 'linux',
      config: { Cmd: ['sh'], Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'], ...config },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
    };
    writeFileSync(join(directory, 'config.json'), JSON.stringify(image));
    const manifest = [{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }];
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
    await run('tar', ['-C', directory, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar']);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
