/** Where the console shows what an event is about. */
import type { Reportable } from './messages.ts';
import { notificationClasses } from './notification-events.ts';

const approvals: readonly string[] = notificationClasses.approvals;

/** `console`: its address; empty: the installation does not know it. As `console/routes.ts` reads it. */
export function consoleLink(
  console: string,
  { namespace, manifest, kind }: Pick<Reportable, 'namespace' | 'manifest' | 'kind'>,
): string | undefined {
  if (console === '') return undefined;
  const places =
    manifest === undefined
      ? ['events']
      : ['manifests', namespace, manifest, ...(approvals.includes(kind) ? ['plan'] : [])];
  return `${console.replace(/\/$/, '')}/#/${places.map(encodeURIComponent).join('/')}`;
}
