/** What the cases rely on in the configuration, beside the section `terminal`. */
export const settings = `
approvals: {mode: manual, timeout: 20, remote_timeout: 20}
mcp_servers: {docs: {command: docs-server, env: {DOCS_TOKEN: token-of-the-docs-server}}}
exec: {output_bytes: 65536}
tasks:
  supervised-*: {tool_mode: supervised}
  asked-*:
    rules:
      ask: ["terminal(touch:*)", "write_file(/**/asked.txt)"]
      deny: ["terminal(mkfifo:*)", "read_file(/**/denied.txt)", "write_file(/**/denied.txt)"]
`;
