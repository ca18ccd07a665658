/** Folders whose rooms (the folders in them) import each other in one direction only: each can be read after those below it. */
import { describe, expect, it } from 'vitest';
import { arrowsIn, circleIn, graphOf, importsBelow } from '../../scripts/import-graph.ts';

describe('rooms', () => {
  it.each([
    'functions',
    'functions/api',
    'functions/contracts',
    'functions/domain/inventory',
    'functions/domain/manifest',
    'functions/domain/planning',
    'functions/pipeline',
    'functions/rendering',
    'runner-images/runner',
    'runner-images/runner/terraform',
    'local',
    'cdk',
    'cli',
    'demo',
  ])('the rooms of %s import each other in no circle', (folder) => {
    const arrows = arrowsIn(folder, importsBelow(folder));
    expect(arrows.length).toBeGreaterThan(0);
    expect(circleIn(graphOf(arrows))).toBeUndefined();
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
