/**
 * Locks made of locks: several as one, all or none ({@link dev.holdfast.lock.composite.MultiLock}), or a majority of independent servers as one
 * ({@link dev.holdfast.lock.composite.QuorumLock}). Each of the locks is a <b>part</b>, and together they are the <b>whole</b>.
 */
@NullMarked
package dev.holdfast.lock.composite;

import org.jspecify.annotations.NullMarked;
