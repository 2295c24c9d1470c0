/** find, by find(1): tests, and the actions that print. Absent: `-exec`, `-ok`, `-delete`, `-fprint` and those that read names. */
import type { Model } from './model.ts';

export const find: Model = {
  style: 'whole',
  reads: true,
  options:
    '-H -L -P -O0 -O1 -O2 -O3 -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -lname:text -ilname:text -regex:text -iregex:text -regextype:word ' +
    '-type:word -xtype:word -maxdepth:number -mindepth:number -size:measure -mtime:measure -mmin:measure -ctime:measure -cmin:measure ' +
    '-atime:measure -amin:measure -newer:any -anewer:any -cnewer:any -newermt:text -newerct:text -newerat:text -empty -print -print0 -printf:text -ls -prune -quit ' +
    '-not -o -a -and -or -perm:mode -user:word -group:word -uid:measure -gid:measure -nouser -nogroup -readable -writable -executable ' +
    '-depth -mount -xdev -follow -daystart -noleaf -samefile:any -links:measure -inum:measure -fstype:word -true -false -ignore_readdir_race -warn -nowarn',
};
