/** Who proposed a plan does not approve it, unless the installation allows that. */
import { holds, parseSubjects, type Subject } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { bindingOf, RoleBinding } from '#domain/manifest/role-binding.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { Using } from '../../ports.ts';
import type { ProposedPlan } from './kept-plans.ts';

/** Throws `Forbidden` that says who may. People are distinguished by the name that the gateway knows: ARN or subject of the token. */
export async function refuseOwnApproval(
  deps: Using<'roleBindings.list' | 'config'>,
  namespace: string,
  { id, by }: Pick<ProposedPlan, 'id' | 'by'>,
  caller: AdmittedCaller,
): Promise<void> {
  if (deps.config.KUBELOOM_OWN_APPROVALS === 'allowed' || by !== caller.name) return;
  const others = (await approversOf(deps, namespace)).filter((one) => !isCaller(one, caller)).map(subjectText);
  const who =
    others.length > 0
      ? [...new Set(others)].sort().slice(0, mostNamed).join(' or ')
      : `no one else has the role approver in namespace "${namespace}" now; an admin can grant it with a RoleBinding`;
  const option = 'the option ownApprovals of the installation lets authors approve their own plans';
  throw new PipelineError(
    'Forbidden',
    `${caller.name} proposed plan ${id}, so someone else has to approve it: ${who}; ${option}`,
  );
}

const mostNamed = 10;

async function approversOf(
  { config, roleBindings }: Using<'roleBindings.list' | 'config'>,
  namespace: string,
): Promise<readonly Subject[]> {
  const bindings = (await roleBindings.list()).map((document) => bindingOf(RoleBinding.parse(document)));
  const approving = bindings.filter((binding) => holds([binding], 'approver', namespace));
  return [...approving.flatMap(({ subjects }) => subjects), ...parseSubjects(config.KUBELOOM_ADMINS)];
}

const isCaller = (subject: Subject, { name }: AdmittedCaller): boolean =>
  ('user' in subject && subject.user === name) || ('iam' in subject && subject.iam === name);

function subjectText(subject: Subject): string {
  if ('user' in subject) return `user:${subject.user}`;
  if ('iam' in subject) return `iam:${subject.iam}`;
  return 'claim' in subject ? `claim:${subject.claim.name}=${subject.claim.value}` : 'any other user';
}
