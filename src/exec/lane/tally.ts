/** How many commands went through a lane, and how many another way, in all sandboxes of one process. */
export class LaneTally {
  lane = 0;
  direct = 0;

  add(way: 'lane' | 'direct'): void {
    this[way] += 1;
  }
}
