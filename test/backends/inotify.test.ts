import { expect, it } from 'vitest';
import { inotifyFindings } from '../../backends/shared/inotify.ts';

it('few watchers of files for each user are reported, with what to do', () => {
  const [finding] = inotifyFindings(128);
  expect([finding?.severity, finding?.id]).toEqual(['warning', 'inotify-instances']);
  expect(finding?.remedy).toContain('fs.inotify.max_user_instances=8192');
  expect([inotifyFindings(1024), inotifyFindings(null)]).toEqual([[], []]);
});
