/** Lists of hosts by name, so that rules need not spell them out. Data. */

export type Presets = Readonly<Record<string, readonly string[]>>;

export const presets: Presets = {
  github: [
    'github.com',
    'api.github.com',
    'codeload.github.com',
    'gist.github.com',
    'raw.githubusercontent.com',
    'objects.githubusercontent.com',
    'release-assets.githubusercontent.com',
    'github-cloud.githubusercontent.com',
  ],
  gitlab: ['gitlab.com'],
};

/** Of `presets`, for checks that want a list. */
export const presetNames: readonly [string, ...string[]] = ['github', 'gitlab'];
