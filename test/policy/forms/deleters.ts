/**
 * Forms that empty a directory of the system without `rm`, and the payload under other names. `@T@` stands for the directory: the text
 * that is judged says `/etc`, the one that runs says a directory of the test.
 */
import { quoted, type Form } from './form.ts';

export const target = '@T@';

/** Each takes the file `passwd` away, or what is in it. */
export function deleters({ pick, file, shell }: Form): string {
  const archive = pick('/dev/null', file('o'), `${file('o')}.tar`);
  const packs = pick('gzip', 'gzip -f', 'bzip2', 'xz');
  const whole = pick(
    `tar --remove-files -cf ${archive} ${target}`,
    `tar -cf ${archive} --remove-files ${target}`,
    `tar cf ${archive} ${target} --remove-fil`,
    `tar cPf ${archive} --remove-files ${target}/passwd`,
    `tar -C ${target} --remove-files -cf ${archive} .`,
    `cd ${target} && tar --remove-files -cf /dev/null passwd`,
    `gzip ${pick('-r', '-rf', '-fr', '--recursive', '-9r')} ${target}`,
    `cd ${target} && gzip ${pick('-r', '-rq')} .`,
    `${packs} ${target}/passwd`,
    `find ${target} -type f -exec ${packs} {} ${pick('+', '\\;')}`,
    `find ${target} -type f | xargs ${packs}`,
    `find ${target} -type f -delete`,
    `find ${target} -mindepth 1 -name '*' -exec unlink {} \\;`,
    `fallocate -p -o 0 -l 4096 ${target}/passwd`,
    `fallocate ${pick('--punch-hole', '-z', '--zero-range')} -o 0 -l 99 ${target}/passwd`,
    `truncate -s 0 ${target}/passwd`,
    `truncate --size=0 ${target}/passwd`,
    `: > ${target}/passwd`,
    `> ${target}/passwd`,
    `cp /dev/null ${target}/passwd`,
    `cat /dev/null > ${target}/passwd`,
    `dd if=/dev/null of=${target}/passwd status=none`,
    `sed -i d ${target}/passwd`,
    `sed --in-place=.x d ${target}/passwd`,
    `perl -pi -e '$_ = ""' ${target}/passwd`,
    `mv ${target}/passwd ${file('k')}`,
    `mv ${target}/* .`,
    `unlink ${target}/passwd`,
    `shred -u ${target}/passwd`,
    `tee ${target}/passwd < /dev/null`,
    `ln -sf /dev/null ${target}/passwd`,
    `install -m 600 /dev/null ${target}/passwd`,
    `awk -i inplace '0' ${target}/passwd`,
    `python3 -c 'import shutil; shutil.rmtree("${target}")'`,
    `python3 -c 'open("${target}/passwd", "w")'`,
    `perl -e 'unlink glob "${target}/*"'`,
    `perl -MFile::Path -e 'rmtree("${target}")'`,
    `ed -s ${target}/passwd <<< $'1,$d\\nw\\nq'`,
    `sort -o ${target}/passwd /dev/null`,
    `rsync -a --delete /var/empty/ ${target}/`,
    `busybox rm ${pick('-r', '-rf')} ${target}`,
    `busybox find ${target} -type f -delete`,
    `busybox truncate -s 0 ${target}/passwd`,
    `split --filter='cat > ${target}/passwd' /dev/null; : > ${target}/passwd`,
    `xz ${pick('-f', '-z', '')} ${target}/passwd`,
    `openssl enc -aes-128-ctr -K 00 -iv 00 -in /dev/null -out ${target}/passwd`,
    `d=${target}; gzip ${pick('-r', '-rf')} "$d"`,
    `for f in ${target}/*; do ${packs} "$f"; done`,
    `echo ${quoted(`gzip -r ${target}`)} | ${shell()}`,
    `zip -qm ${file('o')}.zip ${target}/passwd`,
  );
  return whole;
}
