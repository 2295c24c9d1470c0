/** The question as a host shows it. Pure. What comes from a command is shown with everything spelled out that is not seen. */
import type { ElicitInputParams } from '@modelcontextprotocol/server';
import { type ApprovalView, type Choice, placeOf } from '../../service/api.ts';

const maxDiffUnits = 4000;
const maxLines = 20;

const meanings: Readonly<Record<Choice, string>> = {
  once: 'Yes, this time',
  session: 'Yes, exactly this in this task until its sandbox is removed',
  always: 'Always',
  deny: 'No',
};

/** Sentences of the policy: a kind of danger is covered by name, and nothing else begins so. */
const exactly = /^exactly this command /;

/**
 * Answers that a form may give. Never `always`, and `session` only for exactly this: the host that answers may be the model
 * itself.
 */
export function choicesOf({ choices, covers }: Pick<ApprovalView, 'choices' | 'covers'>): readonly Choice[] {
  const isExact = covers.length > 0 && covers.every((each) => exactly.test(each));
  return choices.includes('session') && isExact ? ['once', 'session', 'deny'] : ['once', 'deny'];
}

export function formOf(view: ApprovalView): ElicitInputParams {
  const offered = choicesOf(view);
  const oneOf = offered.map((choice) => ({ const: choice, title: meanings[choice] }));
  const choice = { type: 'string', title: 'May it run?', oneOf, default: 'deny' } as const;
  return {
    message: messageOf(view),
    requestedSchema: { type: 'object', properties: { choice }, required: ['choice'] },
  };
}

export function messageOf(view: ApprovalView): string {
  const { taskId, title, display, findings, warnings, diff, input } = view;
  const why = [...findings, ...warnings].slice(0, maxLines).map((each) => `- ${spelled(each)}`);
  const parts = [
    `${spelled(title)}. A command in the sandbox of task ${taskId} needs an approval:`,
    indented(spelled(display)),
    placeOf(view).map(spelled).join(', '),
    ...(why.length === 0 ? [] : [`Why:\n${why.join('\n')}`]),
    ...(input === null ? [] : [`Its input:\n${indented(spelled(input.slice(0, maxDiffUnits)))}`]),
    ...(diff === null ? [] : [`What it changes:\n${indented(spelled(diff.slice(0, maxDiffUnits)))}`]),
  ];
  return parts.join('\n\n');
}

/** So that no line of a command looks like one of the question. */
const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** Policy does it for commands; a second time does not harm, and holds for what an older service answers. */
function spelled(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
