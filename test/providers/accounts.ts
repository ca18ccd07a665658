/** Accounts for a test: credentials that show, wherever they appear, whose they are. */
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { credentialFields, credentialVariable, type ProviderTemplate } from '#rendering/provider-template.ts';

/** Whose it is: an organisation, and which of its subscriptions (projects, compartments). */
export interface Owner {
  readonly tenant: string;
  readonly project: string;
}

/** Fields that name the subscription; the others are the tenant's. A type without a line has a credential a project. */
const projectFields: Readonly<Partial<Record<ProviderTypeName, readonly string[]>>> = {
  azure: ['subscriptionid'],
  gcp: ['gcpproject'],
  oci: ['compartmentocid'],
  ovh: ['servicename'],
};

const mark = ({ tenant, project }: Owner, shared: boolean) =>
  shared ? `of-tenant-${tenant}` : `of-project-${tenant}-${project}`;

/** `TF_VAR_…` of all fields that Terraform is given; fields that may be missing come from `optional`. */
export function credentialEnvironment(
  type: ProviderTypeName,
  template: ProviderTemplate,
  owner: Owner,
  optional: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = projectFields[type];
  const fields = credentialFields(template).filter((field) => !template.optionalFields.includes(field));
  const given = fields.map((field): [string, string] => [
    field,
    `${field}-${mark(owner, own !== undefined && !own.includes(field))}`,
  ]);
  return Object.fromEntries(
    [...given, ...Object.entries(optional)].map(([field, value]) => [`TF_VAR_${credentialVariable(field)}`, value]),
  );
}

/** The owners that a text names, as `tenant x` and `project x-y`. */
export function ownersIn(text: string): readonly string[] {
  return [...text.matchAll(/of-(tenant|project)-([a-z]+(?:-[a-z]+)?)/g)].map(
    ([, kind = '', name = '']) => `${kind} ${name}`,
  );
}

/** What `ownersIn` may find in what belongs to `owner`. */
export function allowedOwners({ tenant, project }: Owner): readonly string[] {
  return [`tenant ${tenant}`, `project ${tenant}-${project}`];
}
