/** Paths of the pages. Submissions have numbers in them, and rows random ids, so that no patient's id is in an address. */
export const submissionsPath = '/matchmaker/submissions';

export function submissionPath(number: number): string {
  return `${submissionsPath}/${number}`;
}

export function rowPath({ submission, id }: { submission: number; id: string }): string {
  return `${submissionPath(submission)}/rows/${id}`;
}
