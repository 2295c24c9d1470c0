/** A certificate that is signed by itself, for the given names, of two days. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function certificateFor(...names: readonly string[]): {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
} {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-certificate-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const named = ['-subj', '/CN=test', '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`];
  execFileSync('openssl', [...args, ...named, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const certificate = readFileSync(cert, 'utf8');
  const made = { key: readFileSync(key, 'utf8'), cert: certificate, ca: certificate };
  rmSync(directory, { recursive: true });
  return made;
}
