/** The resources that the operator reads: the same two kinds in both groups. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: 'InputManifest' | 'TemplateGitReference';
}

const groups = [
  { group: 'claudie.io', version: 'v1beta1' },
  { group: 'kubeloom.dev', version: 'v1' },
] as const;

/** Those that manifests refer to come first. */
export const resources: readonly Resource[] = [
  ...groups.map((group) => ({ ...group, plural: 'templategitreferences', kind: 'TemplateGitReference' as const })),
  ...groups.map((group) => ({ ...group, plural: 'inputmanifests', kind: 'InputManifest' as const })),
];

export const apiVersionOf = ({ group, version }: Resource): string => `${group}/${version}`;

/** Path of all objects of a resource, of one namespace, or of one object. */
export function objectPath({ group, version, plural }: Resource, namespace?: string, name?: string): string {
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${group}/${version}${within}/${plural}${name === undefined ? '' : `/${name}`}`;
}
