/** Behind the last byte. */
const wholeMark = 'whole\0';

export const isWhole = (manifest: string): boolean => manifest.endsWith(wholeMark);

/** What `manifest.sh` prints, as one text for each directory of a run. */
export function filesIn(manifest: string): ReadonlyMap<string, string> {
  const found = records(manifest.slice(0, -wholeMark.length));
  // A file may have that name as well, but its records hold more.
  const middle = found.indexOf('sums');
  const listed = found.slice(0, middle);
  const summed = found.slice(middle + 1);
  const sums = new Map(summed.map((line) => [line.slice(sumLength + separator.length), line.slice(0, sumLength)]));
  const lines = listed.map((line) => {
    const [kind = '', mode = '', path = '', target = ''] = line.split('\t');
    const [run = ''] = path.split('/', 1);
    return { run, line: `${path.slice(run.length + 1)} ${kind} ${mode} ${sums.get(path) ?? target}` };
  });
  const byRun = Map.groupBy(lines, ({ run }) => run);
  return new Map(
    [...byRun].map(([run, all]) => [
      run,
      all
        .map(({ line }) => line)
        .sort()
        .join('\n'),
    ]),
  );
}

const records = (text: string): readonly string[] => text.split('\0').filter((line) => line !== '');

/** Hexadecimal digits of a SHA-256. */
const sumLength = 64;
/** Between a sum and a name, as find(1) begins names. */
const separator = '  ./';
