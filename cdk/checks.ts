/** The rules that every synthesis is checked against, and the accepted findings, each with a reason. */
import { type App, type CfnResource, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type IApplyRule, type NagRuleResult, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

interface Accepted {
  readonly rule: string;
  readonly finding: RegExp;
  readonly reason: string;
}

const accepted = new WeakMap<IConstruct, Accepted[]>();

/**
 * Accepts those findings of a rule about a construct and what is in it whose text fits; a finding of IAM5 is
 * `Resource::<arn>` or `Action::<action>`. cdk-nag itself knows only whole texts, with logical ids and exports in them.
 */
export function acceptFindings(construct: IConstruct, rule: string, finding: RegExp, reason: string): void {
  accepted.set(construct, [...(accepted.get(construct) ?? []), { rule, finding, reason }]);
}

/** Makes `app.synth()` throw when a rule is broken. */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new SolutionsChecks(app), new ServerlessChecks(app));
}

class SolutionsChecks extends AwsSolutionsChecks {
  protected override applyRule(params: IApplyRule): void {
    super.applyRule(withoutAccepted(params));
  }
}

/** The same rule, without findings that were accepted for the construct or its parents. */
function withoutAccepted(params: IApplyRule): IApplyRule {
  const name = params.ruleSuffixOverride ?? params.rule.name;
  const known = params.node.node.scopes.flatMap((scope) => accepted.get(scope) ?? []);
  const patterns = known.filter(({ rule }) => rule === name).map(({ finding }) => finding);
  const rule = (node: CfnResource): NagRuleResult => {
    const result = params.rule(node);
    if (!Array.isArray(result)) return result;
    return result.filter((finding) => !patterns.some((pattern) => pattern.test(finding)));
  };
  return { ...params, ruleSuffixOverride: name, rule };
}
