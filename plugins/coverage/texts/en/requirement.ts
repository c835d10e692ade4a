/** What a panel requires of a report, in English. */
export const requirement = {
  title: 'Requirement of the panel',
  required: (percent: string, depth: string) =>
    `The panel requires ${percent} of its bases at ${depth} or more, and all bases of its core genes. Every base counts once.`,
  coreOnly: (depth: string) => `The panel requires all bases of its core genes at ${depth} or more.`,
  notMeasured: (genes: string) =>
    `These genes of the panel were not measured, so that the requirement is not met: ${genes}.`,
  verdict: 'Requirement',
  met: 'met',
  notMet: 'not met',
  core: 'Core genes that are not complete',
  below: (percent: number) => `Other genes below ${percent} %`,
};
