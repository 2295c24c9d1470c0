/**
 * Keys of a current Hermes that have no counterpart here: a file with them loads, and a notice says why each has no effect.
 * What would change the walls of a sandbox is an error, since a file that loads without it would promise less than it says.
 */
import type { ForeignKey } from '../backend.ts';
import type { Path } from './document.ts';
import type { Problem } from './problem.ts';

const shell = 'commands start in a plain shell, and caisson session keeps one';

/** Keys of a section. */
export type ForeignKeys = Readonly<Record<string, ForeignKey>>;

const core: Readonly<Record<string, ForeignKeys>> = {
  terminal: {
    home_mode: {
      why: 'HOME in a sandbox is that of its user; on this host commands have the HOME of Caisson',
      same: 'auto',
    },
    temp_dir: {
      why: 'nothing of a command is kept in a temporary directory of the host; TMPDIR of a command is its own',
    },
    persistent_shell: { why: shell },
    shell_init_files: { why: shell },
    auto_source_bashrc: { why: shell },
    font_family: { why: 'the terminal is that of the caller' },
    degraded_mode: { why: 'a place that is down is an error, and never replaced', same: 'fail' },
    daemon_term_grace_seconds: { why: 'a command has one second between SIGTERM and SIGKILL' },
    oneshot_completion_wait_seconds: { why: 'caisson run ends with its command' },
    sync_back_max_bytes: { why: 'files are copied when caisson cp or files.sync asks for it' },
    vercel_runtime: { why: 'there is no such backend' },
  },
  approvals: {
    mcp_reload_confirm: { why: 'MCP servers are not reloaded by an agent' },
    destructive_slash_confirm: { why: 'there are no slash commands' },
  },
};

export interface WithoutForeign {
  readonly value: unknown;
  readonly notices: readonly string[];
  readonly problems: readonly Problem[];
}

/** `ofBackends`: keys of the section terminal. `placeOf`: FILE:LINE:COLUMN of a key. */
export function withoutForeign(
  value: unknown,
  ofBackends: ForeignKeys,
  placeOf: (path: Path) => string,
): WithoutForeign {
  if (!isMapping(value)) return { value, notices: [], problems: [] };
  const left: Record<string, unknown> = { ...value };
  const notices: string[] = [];
  const problems: Problem[] = [];
  for (const [section, keys] of Object.entries({ ...core, terminal: { ...core['terminal'], ...ofBackends } })) {
    const written = left[section];
    if (!isMapping(written)) continue;
    left[section] = Object.fromEntries(Object.entries(written).filter(([key]) => !Object.hasOwn(keys, key)));
    for (const [key, { why, same, isError = false }] of Object.entries(keys)) {
      if (!Object.hasOwn(written, key) || isNothing(written[key], same)) continue;
      const at = placeOf([section, key]);
      if (isError)
        problems.push({ at, key: `${section}.${key}`, message: `is a key of Hermes that is not taken: ${why}` });
      else notices.push(`${at}: ${section}.${key} is a key of Hermes that has no effect here: ${why}`);
    }
  }
  return { value: left, notices, problems };
}

function isNothing(value: unknown, same: unknown): boolean {
  if (value === null || value === '' || value === same) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
