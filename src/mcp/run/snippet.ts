/** What a host has to have in its configuration to start servers in sandboxes. Pure. */

export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `caisson`: how this Caisson is started. The home is named, since hosts start servers without the environment of the user. */
export function snippetOf(
  servers: readonly { readonly name: string; readonly task?: string }[],
  { caisson, home }: { readonly caisson: readonly [string, ...string[]]; readonly home: string },
): { readonly mcpServers: Readonly<Record<string, Start>> } {
  const [command, ...before] = caisson;
  const entries = servers.map(({ name, task }) => {
    const args = [...before, 'mcp', 'run', name, ...(task === undefined ? [] : ['--task', task])];
    return [name, { command, args, env: { CAISSON_HOME: home } }] as const;
  });
  return { mcpServers: Object.fromEntries(entries) };
}
