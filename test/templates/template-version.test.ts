/** The version of templates as a text: what cannot be read back is never taken for the templates that come with Kubeloom. */
import { describe, expect, it } from 'vitest';
import { parseTemplateVersion, templateVersionText } from '#domain/template-version.ts';

const commit = 'a'.repeat(40);

describe('template versions', () => {
  it.each([
    ['github.com/org/repo', 'modules'],
    ['git.example.com:8443/team/repo.git', '.'],
    ['git.example.com/team/a%20b', 'two words/terraform'],
  ])('the version %s with folder %s is parsed as it was written', (url, path) => {
    expect(parseTemplateVersion(templateVersionText({ url, commit, path }))).toEqual({ url, commit, path });
  });

  it('the version of built-in templates has no repository', () => {
    expect(parseTemplateVersion('builtin@1')).toBeUndefined();
  });

  it.each(['git:github.com/org/re@po@main#modules', 'git:github.com/org/repo', 'git:'])(
    'the version %s is refused',
    (text) => {
      expect(() => parseTemplateVersion(text)).toThrow(/not a version of templates/);
    },
  );
});
