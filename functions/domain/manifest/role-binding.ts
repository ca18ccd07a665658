/** RoleBinding documents: a role in some namespaces, for some callers. */
import { z } from 'zod';
import { type Binding, roles } from '#domain/access.ts';
import { error, type Fault } from './faults/fault.ts';
import { type FormVerdict, validateForm } from './faults/validate-form.ts';
import { shown, Text } from './schema/names.ts';

const Namespace = z.string().regex(/^(\*|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)$/, {
  error: (issue) => `${shown(issue.input)} is not a namespace; use its name, or "*" for all`,
});

const Subject = z.union(
  [
    z.strictObject({
      iam: Text.regex(/^arn:[\w-]+:(iam|sts)::\d{12}:(user|role|assumed-role)\/[\w+=,.@/-]*\*?$/, {
        error: (issue) => `${shown(issue.input)} is not an ARN of a user or role; "*" is allowed at its end`,
      }).describe('ARN of an IAM user, role or session; a role also matches its sessions.'),
    }),
    z.strictObject({
      user: Text.describe('Subject (`sub`) of a token: `local:<name>` of a local user, or one of the OIDC issuer.'),
    }),
    z.strictObject({ claim: z.strictObject({ name: Text, value: Text }).describe('Claim of a token, e.g. a group.') }),
  ],
  { error: 'names no one; give exactly one of iam, user and claim' },
);

export const RoleBinding = z.strictObject({
  apiVersion: z.literal('kubeloom.dev/v1'),
  kind: z.literal('RoleBinding'),
  metadata: z.strictObject({
    name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, {
      error: (issue) => `${shown(issue.input)} is not a name; use lower-case letters, digits and "-"`,
    }),
  }),
  spec: z.strictObject({
    role: z
      .enum(roles)
      .describe(
        '`viewer` reads, `operator` changes and gets kubeconfigs, `approver` also approves plans, `admin` also grants roles.',
      ),
    namespaces: z.array(Namespace).min(1, { error: 'is empty; name at least one' }),
    subjects: z.array(Subject).min(1, { error: 'is empty; name at least one' }).max(500),
  }),
});
export type RoleBinding = z.infer<typeof RoleBinding>;

export const bindingOf = ({ spec }: RoleBinding): Binding => spec;

/** Never throws. */
export function validateRoleBinding(document: unknown): FormVerdict<RoleBinding> {
  return validateForm(RoleBinding, document, rolesByPath);
}

const isPathOfRoles = (iam: string): boolean =>
  iam.includes(':role/') && iam.endsWith('*') && iam.split('/').length > 2;

/** Such a subject would never match a caller: sessions do not contain the path of their role. */
function rolesByPath({ spec }: RoleBinding): readonly Fault[] {
  return spec.subjects.flatMap((subject, index) =>
    'iam' in subject && isPathOfRoles(subject.iam)
      ? [
          error(
            ['spec', 'subjects', index, 'iam'],
            `${shown(subject.iam)} has a path and "*", but sessions of a role do not contain its path`,
            'leave the path out, or name each role',
          ),
        ]
      : [],
  );
}
