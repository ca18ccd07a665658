/** What people may be in a cluster: which role of Kubernetes who may ask for, for how long, and under which name. */
import type { AccessRole } from './access.ts';

export const clusterRoles = ['view', 'edit', 'admin'] as const;
export type ClusterRole = (typeof clusterRoles)[number];

export interface ClusterRoleRow {
  /** The role in Kubeloom, in the namespace of the manifest, that lets ask for it. */
  readonly needs: AccessRole;
  /** The ClusterRole of Kubernetes that its group is bound to. */
  readonly boundTo: string;
  readonly may: string;
}

export const clusterRoleTable: Readonly<Record<ClusterRole, ClusterRoleRow>> = {
  view: { needs: 'viewer', boundTo: 'view', may: 'see everything in namespaces but Secrets and roles' },
  edit: { needs: 'operator', boundTo: 'edit', may: 'also change it, and read Secrets' },
  admin: { needs: 'operator', boundTo: 'cluster-admin', may: 'everything' },
};

/** A certificate cannot be revoked: it is valid for hours, not for months. Kubernetes issues none for less than 10 minutes. */
export const accessSeconds = { least: 600, usual: 3600, most: 86_400 } as const;

/** The user in Kubernetes. The prefix keeps callers apart from the users of Kubernetes itself (`system:…`), whatever they are called. */
export const clusterUserOf = (caller: string): string => `kubeloom:${caller}`;

/** The group in Kubernetes, and the name of its ClusterRoleBinding. */
export const clusterGroupOf = (role: ClusterRole): string => `kubeloom:${role}`;
