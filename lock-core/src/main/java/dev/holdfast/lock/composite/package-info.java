/**
 * Composite locks: several locks as one, all or none ({@link dev.holdfast.lock.composite.MultiLock}), or a majority of independent servers as one
 * lock ({@link dev.holdfast.lock.composite.QuorumLock}). Each of these locks is a <b>member</b>, and together they are the <b>whole</b>. Each lease
 * of a member is a <b>part</b> of the whole lease.
 */
@NullMarked
package dev.holdfast.lock.composite;

import org.jspecify.annotations.NullMarked;
