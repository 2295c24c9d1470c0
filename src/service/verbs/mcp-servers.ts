/** `caisson.mcpServers`. */
import type { McpServersApi } from '../admin/mcp-servers-api.ts';
import { read, type Rows } from './row.ts';

const onHost = { takes: ['name'], owner: 'refused' } as const;

export const mcpServers = {
  names: read('GET', '/v1/mcp-servers', 'Lists the names of the MCP servers that are configured.'),
  child: { ...onHost, none: 'its answer holds the secrets of a child of the caller' },
  shares: { ...onHost, none: '`caisson mcp config` asks it on the host of the service' },
  inside: { ...onHost, takes: ['name', '...?'], none: 'its answer holds the secrets of a server' },
  admit: { ...onHost, takes: ['...'], none: '`caisson mcp run` does it on the host of the service' },
} as const satisfies Rows<McpServersApi>;
