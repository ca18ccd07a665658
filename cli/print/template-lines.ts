/** Manifests that are behind their templates, for people: what happens with each, and what they can do. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { TemplateUser } from '#contracts/http-documents.ts';
import { useTemplatesCommand } from '#domain/take-templates.ts';
import { counted } from '#domain/words.ts';
import { shortName } from '../manifest-name.ts';
import { wrap } from './layout.ts';
import { paint } from './output.ts';
import { ago } from './times.ts';

/** What follows from a reference that was stored. `others`: how many more there are that the caller may not see. */
export function templateUserLines(users: readonly TemplateUser[] = [], others = 0): readonly string[] {
  const lines = users.map((user) => `${user.namespace}/${user.name} is behind: ${user.change}: ${whatFollows(user)}`);
  if (others === 0) return lines;
  return [...lines, `${counted(others, 'more manifest')} that you may not see ${others === 1 ? 'uses' : 'use'} it`];
}

function whatFollows(user: TemplateUser): string {
  if (user.paused) return 'the manifest is paused, so it is reported only';
  switch (user.next) {
    case 'report':
      return `it is reported only (onTemplates: report); \`${useTemplatesCommand(user)}\` uses it`;
    case 'propose':
      return 'a plan is proposed with the next tick of the schedule (onTemplates: propose)';
    case 'replace':
      return 'its machines are replaced from the next tick of the schedule on, pool by pool (onTemplates: replace)';
    default:
      return user.next satisfies never;
  }
}

/** Since when, why they are not used, and the command that uses them. */
export function behindTemplateLines(manifest: ManifestDescription, width?: number): readonly string[] {
  const { behind = [] } = manifest;
  const lines = behind.flatMap(({ change, since, because }) => {
    const why = because === undefined ? '' : `: ${because}`;
    return wrap(`${paint('yellow', 'behind its templates:')} ${change}, since ${ago(since)}${why}`, 2, width);
  });
  if (lines.length === 0) return [];
  const ways = `\`${useTemplatesCommand(manifest)}\` uses them; \`kubeloom plan ${shortName(manifest)}\` shows what that replaces`;
  return [...lines, ...wrap(`  ${ways}`, 4, width)];
}
