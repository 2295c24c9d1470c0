/** Everyday programs that make, move or remove what their operands name, and do no more with the options listed here. */
import type { Model } from './model.ts';

const model = (options: string): Model => ({ options });

export const touching: Readonly<Record<string, Model>> = {
  mkdir: model('-p -v -m:word --parents --verbose --mode:word'),
  rmdir: model('-p -v --parents --verbose --ignore-fail-on-non-empty'),
  touch: model('-a -c -h -m -d:text -r:any -t:word --no-create --date:text --reference:any'),
  cp: model(
    '-a -d -f -i -l -L -n -p -P -r -R -s -u -v -x --archive --force --no-clobber --recursive --update --verbose ' +
      '--preserve? --parents',
  ),
  mv: model('-f -i -n -u -v --force --no-clobber --update --verbose'),
  rm: model('-d -f -i -I -r -R -v --dir --force --recursive --verbose'),
  ln: model('-f -i -n -r -s -v --force --relative --symbolic --verbose --no-dereference'),
  sleep: model(''),
  date: model(
    '-u -R -I? -d:text -r:any --utc --universal --iso-8601? --rfc-3339:word --rfc-email --date:text --reference:any',
  ),
  jq: model(
    '-c -C -e -j -M -n -r -s -S --arg:any --argjson:any --compact-output --exit-status --join-output ' +
      '--null-input --raw-output --slurp --sort-keys --tab --color-output --monochrome-output --indent:number ' +
      '--raw-input -R',
  ),
};
