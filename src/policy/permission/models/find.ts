/** find, by find(1): its common tests, and the actions that print names. Absent: `-exec`, `-ok`, `-delete`, `-fprint` and those that read names. */
import type { Model } from './model.ts';

export const find: Model = {
  style: 'whole',
  reads: true,
  options:
    '-H -L -P -name:text -iname:text -path:text -ipath:text -regex:text -iregex:text -type:word -maxdepth:number ' +
    '-mindepth:number -size:measure -mtime:measure -mmin:measure -ctime:measure -atime:measure -newer:any -empty ' +
    '-print -print0 -prune -not -o -a -and -or -perm:mode -user:word -group:word -readable -writable -executable ' +
    '-depth -mount -xdev -samefile:any -links:measure -true -false',
};
