/** Folders whose rooms (the folders in them) import each other in one direction only: each can be read after those below it. */
import { describe, expect, it } from 'vitest';
import { allSources, arrowsIn, circleIn, graphOf, importsBelow } from '../../scripts/import-graph.ts';

/** Every folder with folders in it: of the product, of benchmarks and of scripts. */
const folders = [...new Set(allSources.filter((file) => !file.startsWith('test/')).flatMap(outerFolders))].sort();

/** `a/b/c/file.ts`: `a/b` and `a`, which have a folder in them. */
function outerFolders(file: string): readonly string[] {
  const names = file.split('/').slice(0, -2);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

describe('rooms', () => {
  it('folders that have rooms are found', () => {
    expect(folders).toEqual(
      expect.arrayContaining([
        'bench',
        'cli',
        'functions/domain',
        'local',
        'packages/aws-on-loopback/src',
        'runner-images/runner/terraform',
        'scripts',
      ]),
    );
  });

  it.each(folders)('the rooms of %s import each other in no circle', (folder) => {
    expect(circleIn(graphOf(arrowsIn(folder, importsBelow(folder))))).toBeUndefined();
  });

  it('two rooms that import each other are a circle, even if their files are not', () => {
    const arrows = arrowsIn(
      'house',
      new Map([
        ['house/kitchen/oven.ts', ['house/cellar/wood.ts']],
        ['house/cellar/wood.ts', ['house/garden.ts', 'zod']],
        ['house/cellar/wine.ts', ['house/kitchen/table.ts']],
      ]),
    );
    expect(circleIn(graphOf(arrows))).toEqual(['kitchen/', 'cellar/', 'kitchen/']);
  });
});
