/** The address of a view: its page, what it is about, and its filters, all behind the `#`, so that every view is a link. Pure. */
import { addressPart } from './text/hostile.ts';

export type PageName = 'questions' | 'sandboxes' | 'sandbox' | 'history' | 'audit';
export type Tab = 'overview' | 'terminal' | 'files' | 'execs' | 'network' | 'processes';

export interface Route {
  readonly page: PageName;
  /** Task of the page of one sandbox. */
  readonly task: string | null;
  readonly tab: Tab;
  readonly filters: Readonly<Record<string, string>>;
}

export const tabs: readonly Tab[] = ['overview', 'terminal', 'files', 'execs', 'network', 'processes'];
const pages: ReadonlySet<string> = new Set(['questions', 'sandboxes', 'history', 'audit']);
const isPage = (name: string): name is PageName => pages.has(name);
const isTab = (name: string | undefined): name is Tab => tabs.some((tab) => tab === name);

export const home: Route = { page: 'questions', task: null, tab: 'overview', filters: {} };

/** What is not known is the first page: an old link still leads somewhere. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', second, third] = path.split('/');
  const filters = Object.fromEntries(new URLSearchParams(query));
  const task = decoded(second);
  if (page === 'sandboxes' && task !== null)
    return { page: 'sandbox', task, tab: isTab(third) ? third : 'overview', filters };
  return isPage(page) ? { ...home, page, filters } : home;
}

function decoded(part: string | undefined): string | null {
  if (part === undefined || part === '') return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Filters without a value are left out. */
export function hashOf({ page, task, tab, filters }: Route): string {
  const kept = Object.entries(filters).filter(([, value]) => value !== '');
  const query = kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`;
  if (page !== 'sandbox' || task === null) return `#/${page}${query}`;
  return `#/sandboxes/${addressPart(task)}${tab === 'overview' ? '' : `/${tab}`}${query}`;
}

export const hashOfTask = (task: string, tab: Tab = 'overview'): string =>
  hashOf({ page: 'sandbox', task, tab, filters: {} });

/** A command and its output. */
export const hashOfExec = (task: string, exec: string): string =>
  hashOf({ page: 'sandbox', task, tab: 'execs', filters: { exec } });

export const withFilter = (route: Route, name: string, value: string): Route => ({
  ...route,
  filters: { ...route.filters, [name]: value },
});
