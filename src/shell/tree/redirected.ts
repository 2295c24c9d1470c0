/** Statements with redirections behind them. */
import { emit } from './emit.ts';
import { readHereDocument, stdinOf } from './here-documents.ts';
import { dashBetween } from './ranges.ts';
import type { Reading } from './reading.ts';

/** Redirections of a group are a command of their own here, and what it reads is read by all in it. */
export function readRedirected(reading: Reading, node: number): void {
  const children = reading.children(node);
  const redirects = children.filter((child) => isRedirect(reading, child));
  const body = lastOf(
    reading,
    children.find((child) => !isRedirect(reading, child)),
  );
  for (const redirect of redirects)
    if (reading.kind(redirect) === 'heredoc_redirect') readHereDocument(reading, redirect, body);
  if (body !== undefined && reading.kind(body) === 'command') {
    const dash = dashBetween(reading.tree, reading.text, { body, redirect: redirects[0] ?? body });
    reading.lent.set(body, { redirects, reach: node, dash });
    return;
  }
  emit(reading, node, { redirects });
  const stdin = stdinOf(reading, redirects);
  if (stdin !== null) reading.enter(node, { stdin });
}

function isRedirect(reading: Reading, node: number): boolean {
  return reading.kind(node).endsWith('_redirect');
}

/** The last command of a list: in the shell, the redirections are its own. */
function lastOf(reading: Reading, statement: number | undefined): number | undefined {
  let node = statement;
  while (node !== undefined && /^(?:list|pipeline|negated_command)$/.test(reading.kind(node)))
    node = reading.children(node).at(-1);
  return node;
}
