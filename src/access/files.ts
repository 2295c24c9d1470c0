/**
 * What is kept of pairing, in `<home>/pairing`, 0700, by files of 0600:
 *
 *   PLATFORM-pending.json    requests, by their ids
 *   PLATFORM-approved.json   who is paired
 *   _rate_limits.json        who has asked lately, and how many codes were wrong
 *
 * A file that is not as it was written is never read in parts and never written over: it may have said that somebody is
 * paired no longer, or that too many codes were wrong. A writer holds the lease of pairing.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readOwnFile } from '../config/home.ts';
import { entries } from '../lib/entries.ts';
import { replaceOwnFile } from '../lib/replace-file.ts';
import { CaissonError } from '../errors.ts';
import { type PairingAttempts, noLimits } from './limits.ts';
import { isPlatform } from './names.ts';
import type { Paired, Request } from './requests.ts';

const maxBytes = 4 * 1024 ** 2;
const limitsFile = '_rate_limits.json';
const nameForm = /^(.+)-(?:pending|approved)\.json$/;

const ids = z.array(z.string().min(1)).min(1);
const name = z.string().nullable();
const count = z.number().int().nonnegative();
/** Milliseconds that a date can have. */
const time = count.max(8e15);
const platform = z.string().refine(isPlatform);
const version = z.literal(1);
const hex = (digits: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

const request = z.strictObject({ ids, name, salt: hex(32), hash: hex(64), createdAt: time });
const pendingForm = z.strictObject({ version, requests: z.record(hex(16), request) });
const approvedForm = z.strictObject({
  version,
  users: z.array(z.strictObject({ ids, name, pairedAt: time, by: z.string() })),
});
const limitsForm = z.strictObject({
  version,
  asked: z.array(z.strictObject({ platform, ids, at: time })),
  attempts: z.array(z.strictObject({ platform, failed: count, lockedUntil: time })),
});

export class PairingFiles {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'pairing');
  }

  /** Platforms that have a file of requests or of paired users. */
  async platforms(): Promise<readonly string[]> {
    const names = (await entries(this.#directory)).flatMap((entry) => nameForm.exec(entry)?.[1] ?? []);
    return [...new Set(names)].filter(isPlatform).sort();
  }

  async pending(of: string): Promise<readonly Request[]> {
    const read = await this.#read(`${of}-pending.json`, pendingForm);
    return Object.entries(read?.requests ?? {}).map(([id, rest]) => ({ id, ...rest }));
  }

  async writePending(of: string, requests: readonly Request[]): Promise<void> {
    const byId = Object.fromEntries(requests.map(({ id, ...rest }) => [id, rest]));
    await this.#write(`${of}-pending.json`, { requests: byId });
  }

  async approved(of: string): Promise<readonly Paired[]> {
    return (await this.#read(`${of}-approved.json`, approvedForm))?.users ?? [];
  }

  async writeApproved(of: string, users: readonly Paired[]): Promise<void> {
    await this.#write(`${of}-approved.json`, { users });
  }

  async limits(): Promise<PairingAttempts> {
    const { asked, attempts } = (await this.#read(limitsFile, limitsForm)) ?? noLimits;
    return { asked, attempts };
  }

  async writeLimits({ asked, attempts }: PairingAttempts): Promise<void> {
    await this.#write(limitsFile, { asked, attempts });
  }

  async #read<T>(file: string, form: z.ZodType<T>): Promise<T | null> {
    const path = join(this.#directory, file);
    const text = await readOwnFile(path, { forbidden: 0o077, limitBytes: maxBytes });
    if (text === null) return null;
    const read = form.safeParse(parsed(text));
    if (read.success) return read.data;
    throw new CaissonError('failed_precondition', `${path} is damaged: until it is put right, it pairs no user`, {
      details: { path },
      remedy: 'put it right, or move it away: what it said is forgotten then',
    });
  }

  async #write(file: string, value: object): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    await replaceOwnFile(join(this.#directory, file), `${JSON.stringify({ version: 1, ...value }, null, 2)}\n`);
  }
}

/** `undefined`, which no form takes, for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
