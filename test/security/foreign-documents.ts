/** Documents of a namespace that is not the caller's, and what the caller sends to change them. */
import { aManifest, aSecret, aTemplateReference } from '#test/api/documents.ts';

export const secret = { ...aSecret(), metadata: { name: 'hetzner' } };
export const templates = { ...aTemplateReference(), metadata: { name: 'own-templates' } };
export const gitSource = {
  apiVersion: 'kubeloom.dev/v1',
  kind: 'GitSource',
  metadata: { name: 'clusters' },
  spec: { url: 'git.example.test/team/shop-clusters', ref: 'main', suspend: true },
};
export const hook = {
  ...secret,
  metadata: { name: 'notification-hook' },
  stringData: { url: 'https://hooks.example.test/shop' },
};
export const notification = {
  apiVersion: 'kubeloom.dev/v1',
  kind: 'Notification',
  metadata: { name: 'alerts' },
  spec: { to: 'slack', secretRef: { name: 'notification-hook' }, events: ['failures'], suspend: true },
};
export const eveOperates = {
  apiVersion: 'kubeloom.dev/v1',
  kind: 'RoleBinding',
  metadata: { name: 'eve' },
  spec: { role: 'operator', namespaces: ['other'], subjects: [{ claim: { name: 'groups', value: 'others' } }] },
};

/** The body of a request, by operation, for those that have one. */
export const bodies: Readonly<Record<string, object>> = {
  putManifest: aManifest({ compute: 5 }),
  planManifest: aManifest({ compute: 5 }),
  putSecret: secret,
  putTemplate: templates,
  putGitSource: { ...gitSource, spec: { ...gitSource.spec, suspend: false } },
  putNotification: { ...notification, spec: { ...notification.spec, suspend: false } },
  putRole: { ...eveOperates, spec: { ...eveOperates.spec, role: 'admin', namespaces: ['*'] } },
};
/** The name of what exists, by operation; `shop` for the others. */
export const names: Readonly<Record<string, string>> = {
  putRole: 'eve',
  deleteRole: 'eve',
  putSecret: 'hetzner',
  putNotification: 'alerts',
  getNotification: 'alerts',
  testNotification: 'alerts',
  deleteNotification: 'alerts',
  putGitSource: 'clusters',
  getGitSource: 'clusters',
  syncGitSource: 'clusters',
  deleteGitSource: 'clusters',
};
