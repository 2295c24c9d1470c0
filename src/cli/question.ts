/** The text of a question, for a terminal. */
import type { Question } from '../guard/types.ts';
import { findingText, placeOf } from '../service/api.ts';
import { escape, escapeLine } from './escape.ts';

const letters = { once: '[o]nce', session: '[s]ession', always: '[a]lways', deny: '[d]eny' } as const;

export function questionText(question: Question): string {
  const { title, findings, display, warnings, diff, input, covers, proposal, choices } = question;
  const what = [...new Set(findings.map((finding) => escapeLine(findingText(finding))))].join(', ');
  const short = choices.map((choice) => (choice === 'deny' ? 'D' : choice.slice(0, 1))).join('/');
  return [
    `${escapeLine(title)}: ${what} (${placeOf(question).map(escapeLine).join(', ')})`,
    ...display.split('\n').map((line) => `  ${line}`),
    ...warnings.map((warning) => `note: ${escapeLine(warning)}`),
    ...(input === null ? [] : ['input:', ...input.split('\n').map((line) => `  ${escape(line)}`)]),
    ...(diff === null ? [] : ['changes:', ...diff.split('\n').map((line) => `  ${escape(line)}`)]),
    ...(choices.includes('session') ? [`session covers: ${covers.map(escapeLine).join(', ')}`] : []),
    ...(proposal.length === 0 ? [] : [`always saves: ${proposal.map(escapeLine).join('  ')}`]),
    choices.map((choice) => letters[choice]).join(' | '),
    `Choice [${short}]: `,
  ].join('\n');
}
