/** The stacks as they would be deployed, without bundles; and questions to their templates. */
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Source } from 'aws-cdk-lib/aws-s3-deployment';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { parseOptions } from '../../cdk/options.ts';
import { addStacks, type Installation } from '../../cdk/stacks.ts';
import settings from '../../cdk.json' with { type: 'json' };

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, unknown>>;
}

const codeOf = (): Code => Code.fromInline('exports.handler = () => {}');
const templates = new WeakMap<Stack, Template>();

export function installationOf(context: Readonly<Record<string, unknown>> = {}): Installation & { readonly app: App } {
  const app = new App({
    // The command line reads cdk.json; an app that is made here does not.
    context: { ...settings.context, ...context, [DISABLE_ASSET_STAGING_CONTEXT]: true },
    // Its findings are only warnings, and `cdk synth` prints them.
    builtinCloudFormationValidation: false,
  });
  return { app, ...addStacks(app, parseOptions(context), codeOf, () => Source.data('index.html', '<!doctype html>')) };
}

/** The stacks with default options. */
export const installation = installationOf();

export function templateOf(stack: Stack): Template {
  const made = templates.get(stack) ?? Template.fromStack(stack);
  templates.set(stack, made);
  return made;
}

export function resourcesOf(stack: Stack, type: string): readonly Resource[] {
  return Object.values(templateOf(stack).findResources(type)) as Resource[];
}

/** Variables of the first resource of a type that has an environment. */
export function variablesOf(stack: Stack, type: string): Readonly<Record<string, unknown>> {
  const [first] = resourcesOf(stack, type);
  const environment = first?.Properties.Environment as { Variables: Record<string, unknown> } | undefined;
  return environment?.Variables ?? {};
}

/** Projects that builds are started of. */
export function runnersOf(stack: Stack): readonly Resource[] {
  const projects = resourcesOf(stack, 'AWS::CodeBuild::Project');
  return projects.filter(({ Properties }) => !String(Properties.Description).includes('unused'));
}

/** All statements of a role, by its logical id. */
export function statementsOf(stack: Stack, role: string): readonly Statement[] {
  const policies = resourcesOf(stack, 'AWS::IAM::Policy').filter(({ Properties }) =>
    JSON.stringify(Properties.Roles).includes(`"${role}"`),
  );
  const managed = (templateOf(stack).toJSON().Resources[role]?.Properties?.ManagedPolicyArns ?? []) as unknown[];
  if (managed.length > 0) throw new Error(`the role ${role} has managed policies: ${JSON.stringify(managed)}`);
  return policies.flatMap(({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
}

/** Logical id of the role in a property such as `{ 'Fn::GetAtt': [id, 'Arn'] }`. */
export function roleId(property: unknown): string {
  const id = (property as { 'Fn::GetAtt'?: [string, string] } | undefined)?.['Fn::GetAtt']?.[0];
  if (id === undefined) throw new Error(`${JSON.stringify(property)} is no role of the same stack`);
  return id;
}

export function actionsOf(statements: readonly Statement[], effect: Statement['Effect'] = 'Allow'): readonly string[] {
  const found = statements.filter(({ Effect }) => Effect === effect).flatMap(({ Action }) => [Action].flat());
  return [...new Set(found)].sort();
}
