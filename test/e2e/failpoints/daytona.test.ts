import type { DaytonaEmulator } from '../../../emulators/daytona/emulator.ts';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';
import { failpoints } from './suite.ts';

let emulator: DaytonaEmulator | null = null;

failpoints({
  backend: 'daytona',
  isSampled: true,
  isThere: whyNoDaytona() === null,
  open: async () => {
    emulator = await startDaytonaHere();
    return { settings: { daytona_image: daytonaImage }, env: emulator.environment };
  },
  close: () => emulator?.close(),
  left: async () => Array.from({ length: emulator?.count() ?? 0 }, () => 'a sandbox'),
});
