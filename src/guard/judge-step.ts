/** The policy's word on a command. */
import type { Policy } from '../policy/policy.ts';
import type { Decision } from '../policy/types.ts';
import { type Call, type FileSubject, placeOf, readable } from './call.ts';
import type { Step } from './gate.ts';
import { deniedError } from './refusal.ts';
import { type Book, says, saysOfFiles } from './book.ts';
import type { Rulebook } from './rulebook.ts';

/** `home`: the home directory of the account on this host. */
export function judging(rulebook: Rulebook, home: string): Step {
  return {
    concerns: ({ call }, { said }) => rulebook.concerns(call, said),
    pass: async (admission, { said }) => {
      const { call } = admission;
      const { subject } = call;
      const book = await rulebook.of(call.taskId, said);
      if (subject.kind === 'file')
        return saysOfFiles(book.input) ? { ...admission, decision: await decisionOnFile(subject, book) } : admission;
      return says(book.input, call.reach)
        ? { ...admission, decision: decisionOn(await book.policy(), call, home) }
        : admission;
    },
  };
}

async function decisionOnFile(subject: FileSubject, book: Book): Promise<Decision> {
  const { decideFile } = await import('./file-rules.ts');
  return await decideFile(subject, (await book.policy()).settings);
}

function decisionOn(policy: Policy, call: Call, home: string): Decision {
  const { subject, reach } = call;
  const place = { ...placeOf(call, home), reach };
  return subject.kind === 'code'
    ? policy.decideCode({ ...place, language: subject.language, text: subject.text })
    : policy.decide({ ...place, command: readable(subject) });
}

export const refusing: Step = {
  concerns: ({ decision }) => decision.verdict === 'deny',
  pass: ({ call, decision }) => Promise.reject(deniedError(call, decision)),
};
