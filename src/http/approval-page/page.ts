/**
 * The page of one question, for a person with a browser. Without any script, and with a policy under which none would run
 * (w3.org/TR/CSP3): what it shows was written by third parties.
 */
import { hash } from 'node:crypto';
import { asset } from '../../lib/asset.ts';
import { type ApprovalView, placeOf } from '../../service/api.ts';

/** It looks as the dashboard does, light and dark. */
const style = `${asset('dashboard/src/style/base.css')}
body{max-width:50rem;margin:2rem auto;padding:0 1rem}button{margin:.25rem .5rem .25rem 0}input{width:100%}`;

const styleHash = hash('sha256', style, 'base64');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // A browser under no-referrer would send the form with the origin null.
  'referrer-policy': 'same-origin',
};

const meanings: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow for this task',
  always: 'Always allow',
  deny: 'Deny',
};

/** Says nothing of the question: who has not shown a token yet may be no one who may see it. */
export function loginPage(problem: string | null = null): string {
  return page(
    'Answer a question about a command',
    `${problem === null ? '' : `<p role="alert"><strong>${escaped(problem)}</strong></p>`}
<form method="post">
<p><label for="token">A token with the scope approve, other than the one that asks:</label></p>
<p><input id="token" name="token" type="password" autocomplete="off" required maxlength="200" autofocus></p>
<p><button type="submit">Show the question</button></p>
</form>
<p>Make one with <code>caisson token create NAME --scope approve</code>.</p>`,
  );
}

export function questionPage(view: ApprovalView, problem: string | null = null): string {
  const { title, taskId, display, warnings, findings, diff, input, covers, proposal, state } = view;
  const isOffered = (choice: string): boolean => view.choices.includes(choice);
  const parts = [
    problem === null ? '' : `<p role="alert"><strong>${escaped(problem)}</strong></p>`,
    `<p><strong>${escaped(title)}</strong></p>`,
    `<p>In the sandbox of task <strong>${escaped(taskId)}</strong>, asked at ${escaped(view.askedAt)}:</p>`,
    `<pre>${escaped(display)}</pre>`,
    `<p>${placeOf(view).map(escaped).join(', ')}</p>`,
    input === null ? '' : `<p>Its input:</p><pre>${escaped(input)}</pre>`,
    listOf('Why', [...findings, ...warnings]),
    diff === null ? '' : `<p>What it changes:</p><pre>${escaped(diff)}</pre>`,
    isOffered('session') ? listOf('“Allow for this task” covers', covers) : '',
    isOffered('always') ? listOf('“Always allow” saves these rules', proposal) : '',
    state === 'pending' ? formOf(view.choices) : `<p>It is not open any more: ${escaped(state)}.</p>`,
  ];
  return page('May this command run?', parts.join('\n'));
}

export function donePage(text: string): string {
  return page('Answered', `<p>${escaped(text)}</p><p>You can close this page.</p>`);
}

function formOf(choices: readonly string[]): string {
  const buttons = ['deny', 'once', 'session', 'always']
    .filter((choice) => choice === 'deny' || choices.includes(choice))
    .map((choice) => `<button type="submit" name="choice" value="${choice}">${meanings[choice]}</button>`);
  return `<form method="post">${buttons.join('')}</form>`;
}

function listOf(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return `<p>${title}:</p><ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`;
}

const page = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title>
<style>${style}</style></head><body><h1>${title}</h1>
${body}
</body></html>
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
