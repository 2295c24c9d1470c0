/** Tasks of the sandboxes in which MCP servers of the configuration run. */
import { hash } from 'node:crypto';

const longest = 48;

/** `mcp-NAME`; a name that no task can have gets a hash, so that no two servers share a task. */
export function taskOfServer(server: string): string {
  const plain = server.toLowerCase().replaceAll('.', '-').slice(0, longest);
  return plain === server ? `mcp-${server}` : `mcp-${plain}-${hash('sha256', server).slice(0, 8)}`;
}
