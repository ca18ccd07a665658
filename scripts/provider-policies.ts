/** Least-privilege policies in the form that each cloud takes, from the permissions that modules need. Pure. */

/** A fenced block, or Markdown, of what `permissions` allow; `purpose` says what for, e.g. `machines`. */
export type PolicyForm = (permissions: readonly string[], purpose: string) => string;

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown): string => fenced('json', JSON.stringify(value, null, 2));

/** Any service may have a role made for it by this; spot machines alone need one. */
const roleForService = 'iam:CreateServiceLinkedRole';

/** Permissions are IAM actions. */
const iamPolicy: PolicyForm = (actions) => {
  const spotAlone = { StringEquals: { 'iam:AWSServiceName': 'spot.amazonaws.com' } };
  const plain = { Effect: 'Allow', Action: actions.filter((action) => action !== roleForService), Resource: '*' };
  const forSpot = { Effect: 'Allow', Action: [roleForService], Resource: '*', Condition: spotAlone };
  return json({ Version: '2012-10-17', Statement: actions.includes(roleForService) ? [plain, forSpot] : [plain] });
};

/** Permissions are operations of resource providers. */
const azureRole: PolicyForm = (actions, purpose) =>
  json({
    Name: 'kubeloom',
    IsCustom: true,
    Description: `What Kubeloom needs for ${purpose}`,
    Actions: actions,
    NotActions: [],
    AssignableScopes: ['/subscriptions/SUBSCRIPTION'],
  });

/** Permissions are IAM permissions. */
const gcpRole: PolicyForm = (permissions, purpose) =>
  fenced(
    'yaml',
    [
      'title: kubeloom',
      `description: What Kubeloom needs for ${purpose}`,
      'stage: GA',
      'includedPermissions:',
      ...permissions.map((permission) => `  - ${permission}`),
    ].join('\n'),
  );

/** Each verb contains those before it. */
const ociVerbs = ['inspect', 'read', 'use', 'manage'];

/** Permissions are `<verb> <resource type>`; of one resource type only the widest verb is asked for. */
const ociStatements: PolicyForm = (permissions) => {
  const widest = new Map<string, string>();
  for (const permission of permissions) {
    const [verb = '', ...rest] = permission.split(' ');
    const family = rest.join(' ');
    if (ociVerbs.indexOf(verb) < 0) throw new Error(`"${permission}" does not begin with a verb of OCI policies`);
    if (ociVerbs.indexOf(verb) > ociVerbs.indexOf(widest.get(family) ?? '')) widest.set(family, verb);
  }
  return json(
    [...widest].map(([family, verb]) => `Allow group kubeloom to ${verb} ${family} in compartment COMPARTMENT`),
  );
};

const list: PolicyForm = (permissions) => permissions.map((permission) => `- \`${permission}\``).join('\n');

const forms: Readonly<Record<string, PolicyForm>> = {
  aws: iamPolicy,
  azure: azureRole,
  gcp: gcpRole,
  oci: ociStatements,
};

/** The form of a provider type; clouds whose tokens have scopes, or nothing, get a list. */
export const policyFormOf = (type: string): PolicyForm => forms[type] ?? list;
