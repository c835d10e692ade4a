/** Bodies of responses of identity providers. */

/** The whole body. Throws an Error, and stops reading, if it has more than `most` bytes. */
export async function limitedBody(response: Response, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > most) throw new Error('the response is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
