/** Check: outputs are kept in the state, in facts and in the runner's log, so nothing secret is in them. */
import { type Finding, fault } from './finding.ts';
import { textsOf } from './module-source.ts';
import { referencesOf } from './references.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const secretAttribute = /\.(\w*(?:password|passwd|secret|private_key|token|credential|user_data|first_boot)\w*)/i;

export function checkOutputs(source: TypeSource): readonly Finding[] {
  const fromSecret = Object.keys(validOf(source.template)?.moduleVariables ?? {});
  return modulesOf(source).flatMap((module) => {
    const sensitive = Object.entries(module.variables).filter(([, { sensitive }]) => sensitive === true);
    const secrets = new Set([...fromSecret, ...sensitive.map(([name]) => name)].map((name) => `var.${name}`));
    return Object.entries(module.outputs).flatMap(([name, body]) => {
      const reported = (message: string): Finding =>
        fault('outputs', {
          place: `${module.name}/outputs.tf`,
          message: `output ${name} ${message}`,
          fix: 'remove it: code that needs it can read the Secret',
        });
      if (body.sensitive === true) return [reported('is marked as sensitive: the root cannot hand it on')];
      const references = referencesOf(module, body.value);
      const secret = [...references].find((reference) => secrets.has(reference));
      if (secret !== undefined) return [reported(`contains ${secret}`)];
      const attribute = secretAttribute.exec(textsOf(body.value).join('\n'))?.[1];
      return attribute === undefined ? [] : [reported(`contains ${attribute}`)];
    });
  });
}
