/** Writes docs/manifest.md out of the schemas' descriptions. */
import { z } from 'zod';
import { jsonSchemaOf } from '#domain/documents/json-schema.ts';
import { supportedVersionsText } from '#domain/kubernetes-versions.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { Secret } from '#domain/manifest/schema/secret.ts';
import { TemplateGitReference } from '#domain/manifest/schema/template-git-reference.ts';
import { type ProviderTypeFacts, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { settle } from './generated.ts';
import { introduction, rules, secretIntroduction, templateIntroduction } from './manifest-docs/prose.ts';
import { objectTables, type Schema } from './manifest-docs/tables.ts';

const asSchema = (type: z.ZodType): Schema => z.toJSONSchema(type, { io: 'input', target: 'draft-7' }) as Schema;

const page = [
  introduction,
  '## InputManifest',
  ...objectTables('InputManifest', jsonSchemaOf(InputManifest) as Schema),
  rules,
  providerSection(),
  secretIntroduction,
  ...objectTables('Secret', asSchema(Secret)),
  templateIntroduction,
  ...objectTables('TemplateGitReference', asSchema(TemplateGitReference)),
];

function providerSection(): string {
  const yes = (fact: boolean): string => (fact ? 'yes' : '–');
  const rows = Object.entries(providerTypes).map(([name, facts]: [string, ProviderTypeFacts]) => {
    const words = (field: SecretField): string => {
      const format = field.format === 'any text that is not empty' ? '' : ` (${field.format})`;
      return `\`${field.name}\`${format}${field.required ? '' : ', optional'}`;
    };
    const ways = [facts.secret, ...(facts.keyless ?? [])].map((way) => way.map(words).join('; '));
    const fields = [...ways, ...(facts.secretOptional ? ['no Secret'] : [])];
    const cells = [`\`${name}\``, facts.title, yes(facts.nodes), yes(facts.dns), yes(facts.gpu), yes(facts.spot)];
    return `| ${[...cells, fields.join('; **or** ') || 'no Secret'].join(' | ')} |`;
  });
  const heading = ['| type | | machines | DNS | GPU | spot | fields of its Secret |', '|---|---|---|---|---|---|---|'];
  return [
    '## Provider types',
    '`kubeloom validate` checks offline which of them an installation supports, and the platform checks it on `apply`. Kubernetes versions:',
    `${supportedVersionsText()}.`,
    '',
    ...heading,
    ...rows,
  ].join('\n');
}

settle('docs/manifest.md', `${page.join('\n\n')}\n`);
