/** Faults of Notifications and their Secrets, at their paths with what to do. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { aNotificationDocument } from './a-notification.ts';

const secretOf = (stringData: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'notification-hook', namespace: 'team' },
  stringData,
});
const url = 'https://hooks.example.com/team';
const signingkey = `whsec_${Buffer.alloc(32).toString('base64')}`;
const faultsOf = (...documents: object[]) =>
  validateDocuments(documents, { readObjects, secrets: new Set<string>() }).flatMap(({ faults }) =>
    faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`),
  );

describe('Notifications', () => {
  it('a Notification with its Secret has no faults', () => {
    expect(faultsOf(secretOf({ url, signingkey }), aNotificationDocument())).toEqual([]);
    expect(faultsOf(secretOf({ url }), aNotificationDocument({ to: 'slack' }))).toEqual([]);
  });

  it.each([
    [{ events: ['failure'] }, 'spec.events[0]', 'did you mean failures?'],
    [{ events: ['Requested'] }, 'spec.events[0]', 'neither a class nor a kind of events that are sent'],
    [{ events: [] }, 'spec.events', 'name a class such as failures, or a kind'],
    [{ namespaces: [] }, 'spec.namespaces', 'leave it out for its own'],
    [{ namespaces: ['Team A'] }, 'spec.namespaces[0]', ''],
    [{ secretRef: { name: 'hetzner' } }, 'spec.secretRef.name', 'does not begin with "notification-"'],
    [
      { secretRef: { name: 'notification-hook', namespace: 'other' } },
      'spec.secretRef.namespace',
      'store the Secret in "team"',
    ],
    [{ secretRef: { name: 'notification-gone' } }, 'spec.secretRef', ''],
    [{ to: 'pager' }, 'spec.to', ''],
    [{ url }, 'spec.url', ''],
  ])('%j is a fault at %s', (spec, path, words) => {
    const faults = faultsOf(secretOf({ url, signingkey }), aNotificationDocument(spec));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(path);
    expect(faults[0]).toContain(words);
  });

  it.each([
    [{ url: 'http://hooks.example.com', signingkey }, 'stringData.url'],
    [{ url: 'https://user:password@hooks.example.com/', signingkey }, 'stringData.url'],
    [{ url: 'file:///etc/passwd', signingkey }, 'stringData.url'],
    [{ signingkey }, 'stringData.url'],
    [{ url }, 'stringData.signingkey'],
    [{ url, signingkey: 'secret' }, 'stringData.signingkey'],
    [{ url, signingkey: 'whsec_c2hvcnQ=' }, 'stringData.signingkey'],
  ])('the Secret of a webhook with other fields is refused, and no fault has a value (%#)', (values, path) => {
    const faults = faultsOf(secretOf(values), aNotificationDocument());
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(path);
    for (const value of Object.values(values)) expect(faults.join()).not.toContain(value);
  });
});
