/** Faults of Notifications and their Secrets, at their paths with what to do. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { cutLine } from '#domain/cut-text.ts';
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
    [{ address: 'ann@example.com' }, 'spec.address', 'is not for `to: webhook`'],
    [{ secretRef: undefined }, 'spec.secretRef', 'is missing'],
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

describe('Notifications by e-mail', () => {
  const byMail = (spec: object) => aNotificationDocument({ to: 'email', secretRef: undefined, ...spec });

  it.each([
    'ann@example.com',
    'first.last+kubeloom@mail.example.co',
    'a_b-c@xn--mnchen-3ya.example',
    `${'a'.repeat(64)}@example.com`,
  ])('%s is an address', (address) => {
    expect(faultsOf(byMail({ address }))).toEqual([]);
  });

  it.each([
    '',
    'ann',
    'ann@localhost',
    'ann@10.0.0.1',
    'ann@[10.0.0.1]',
    'Ann <ann@example.com>',
    '"ann"@example.com',
    'ann@example.com,bob@example.com',
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com\n',
    'ann\u0000@example.com',
    'ann\u202e@example.com',
    'änn@example.com',
    'ann..b@example.com',
    '.ann@example.com',
    'ann@-example.com',
    'ann@example-.com',
    'ann@example..com',
    'ann@@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(64)}.com`,
    `ann@${'a.'.repeat(150)}com`,
  ])('what is no address is one fault at its place (%#)', (address) => {
    const faults = faultsOf(byMail({ address }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('spec.address');
    expect(cutLine(faults[0] ?? '', 1000)).toBe(faults[0]);
  });

  it.each([
    [{}, 'spec.address'],
    [{ address: 'ann@example.com', secretRef: { name: 'notification-hook' } }, 'spec.secretRef'],
    [{ address: ['ann@example.com'] }, 'spec.address'],
  ])('%j is a fault at %s', (spec, path) => {
    const faults = faultsOf(secretOf({ url, signingkey }), byMail(spec));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(path);
  });
});
