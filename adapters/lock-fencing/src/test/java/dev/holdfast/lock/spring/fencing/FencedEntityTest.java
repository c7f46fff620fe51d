package dev.holdfast.lock.spring.fencing;

import static dev.holdfast.lock.spring.fencing.FenceTableTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fencing.FencedStock.Article;
import dev.holdfast.lock.spring.fencing.FencedStock.Stock;
import dev.holdfast.lock.spring.fixture.Locked;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.hibernate.SessionFactory;
import org.hibernate.StaleObjectStateException;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities that a lock fences, with Hibernate. A frozen holder is one whose lock passes on while its method runs. */
@TestInstance(Lifecycle.PER_CLASS)
class FencedEntityTest {

    @AutoClose
    final Locked app = Locked.application(database(), FencedStock.Persistence.class, Stock.class);

    final Stock stock = app.bean(Stock.class);
    final JdbcTemplate jdbc = app.bean(JdbcTemplate.class);
    final EntityManager entities = app.bean(EntityManager.class);
    final TransactionTemplate transaction = app.bean(TransactionTemplate.class);

    Class<?> database() {
        return FencedStock.InMemory.class;
    }

    @BeforeEach
    void fill() {
        jdbc.update("delete from Article_tags");
        jdbc.update("delete from Article");
        jdbc.update("insert into Article (id, pieces, note, fence) values ('lamp', 1, '', 0)");
        jdbc.update("insert into Article (id, pieces, note, fence) values ('boat', 1, '', 0)");
    }

    @Test
    void updateWritesTheTokenAndChecksTheVersionThatWasRead() {
        long token = stock.change("lamp", article -> article.pieces = 5);
        assertThat(pieces("lamp")).isEqualTo(5);
        assertThat(fence("lamp")).isEqualTo(token);
        assertThat(stock.change("lamp", article -> article.pieces = 6)).isGreaterThan(token);
        assertThat(pieces("lamp")).isEqualTo(6);
    }

    @Test
    void frozenHolderThatHasReadBeforeIsRefusedByTheDatabase() {
        assertRefused(() -> stock.change("lamp", article -> {
            passOnAndWrite("lamp", 7);
            article.pieces = 100;
        }));
        assertThat(pieces("lamp")).isEqualTo(7);
    }

    @Test
    void frozenHolderThatReadsAfterwardsIsRefusedToo() {
        assertRefused(() -> stock.changeAfter(() -> passOnAndWrite("lamp", 7), "lamp", article -> article.pieces = 100))
                .withMessageContaining("A later holder of the lock 'stock:lamp' has already written");
        assertThat(pieces("lamp")).isEqualTo(7);
    }

    @Test
    void frozenHolderDeletesNothing() {
        assertRefused(() -> stock.changeAfter(() -> passOnAndWrite("lamp", 7), "lamp", entities::remove));
        assertRefused(() -> stock.change("boat", article -> {
            passOnAndWrite("boat", 8);
            entities.remove(article);
        }));
        assertThat(pieces("lamp")).isEqualTo(7);
        assertThat(pieces("boat")).isEqualTo(8);
    }

    @Test
    void frozenHolderChangesNoAttributeThatIsNotVersioned() {
        assertRefused(
                () -> stock.changeAfter(() -> passOnAndWrite("lamp", 7), "lamp", article -> article.note = "late"));
    }

    @Test
    void frozenHolderChangesNoCollectionThatIsNotVersioned() {
        assertRefused(
                () -> stock.changeAfter(() -> passOnAndWrite("lamp", 7), "lamp", article -> article.tags.add("late")));
        assertRefused(() -> stock.change("boat", article -> {
            assertThat(article.tags).isEmpty();
            passOnAndWrite("boat", 8);
            article.tags.add("late");
        }));
        assertThat(tags()).isZero();
    }

    @Test
    void holderChangesACollectionThatIsNotVersioned() {
        long token = stock.change("lamp", article -> {
            article.tags.add("red");
            article.pieces = 2;
        });
        stock.change("lamp", article -> article.tags.add("blue"));
        stock.change("lamp", article -> article.tags = new HashSet<>(Set.of("green")));
        assertThat(tags()).isOne();
        assertThat(fence("lamp")).isEqualTo(token);
        stock.change("lamp", entities::remove);
        assertThat(tags()).isZero();
    }

    @Test
    void changeOfACollectionWithoutTheLockFails() {
        stock.change("lamp", article -> article.tags.add("red"));
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Article.class, "lamp").tags.add("blue");
                    entities.flush();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("written without the lock 'stock:lamp'");
        assertThat(tags()).isOne();
    }

    @Test
    void newRowWithACollectionNeedsNoLock() {
        Article chair = new Article("chair");
        chair.tags.add("red");
        transaction.executeWithoutResult(status -> entities.persist(chair));
        assertThat(tags()).isOne();
    }

    /** The page says so: such a query is not checked, and the next holder's token is above it. */
    @Test
    void versionedUpdateQueryIsNotCheckedAndRefusesItsOwnHoldersNextWrite() {
        stock.changeInside("lamp", id -> {
            long token = stock.change(id, article -> article.pieces = 2);
            int updated = transaction.execute(
                    status -> entities.createQuery("update versioned Article set pieces = 3 where id = 'lamp'")
                            .executeUpdate());
            assertThat(updated).isOne();
            assertThat(fence(id)).isEqualTo(token + 1);
            assertRefused(() -> stock.change(id, article -> article.pieces = 5));
        });
        stock.change("lamp", article -> article.pieces = 4);
        assertThat(pieces("lamp")).isEqualTo(4);
    }

    @Test
    void eachOfSeveralLeasesThatCodeAcquiredFences() {
        try (Lease lamp = app.locks().getLock("stock:lamp").acquire();
                LockContext.Scope outer = LockContext.enter(lamp);
                Lease boat = app.locks().getLock("stock:boat").acquire();
                LockContext.Scope inner = LockContext.enter(boat)) {
            assertThat(inner).isNotSameAs(outer);
            transaction.executeWithoutResult(status -> {
                entities.find(Article.class, "lamp").pieces = 2;
                entities.find(Article.class, "boat").pieces = 3;
            });
            assertThat(fence("lamp")).isEqualTo(lamp.fencingToken());
            assertThat(fence("boat")).isEqualTo(boat.fencingToken());
        }
    }

    @Test
    void lossWithoutALaterWriterIsNoReasonToRefuse() {
        stock.change("lamp", article -> {
            app.locks().forceRelease("stock:lamp");
            article.pieces = 9;
        });
        assertThat(pieces("lamp")).isEqualTo(9);
    }

    @Test
    void insertKeepsTheToken() {
        long token = stock.insert("chair");
        assertThat(fence("chair")).isEqualTo(token);
    }

    @Test
    void insertNeedsNoLock() {
        transaction.executeWithoutResult(status -> entities.persist(new Article("chair")));
        assertThat(fence("chair")).isZero();
        long token = stock.change("chair", article -> article.pieces = 2);
        assertThat(fence("chair")).isEqualTo(token);
    }

    @Test
    void updateWithoutTheLockFails() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.find(Article.class, "lamp").pieces = 2;
                    entities.flush();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("written without the lock 'stock:lamp'")
                .hasMessageContaining("Locks held here: none");
        assertThat(pieces("lamp")).isOne();
    }

    @Test
    void updateAfterTheReleaseFails() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> stock.changeAndReleaseEarly("lamp")))
                .rootCause()
                .hasMessageContaining("flush before the lock is released");
        assertThat(pieces("lamp")).isOne();
    }

    @Test
    void updateUnderTheLockOfAnotherRowFails() {
        assertThatThrownBy(() -> stock.change("lamp", article -> stock.find("boat").pieces = 2))
                .rootCause()
                .hasMessageContaining("the lock 'stock:boat'")
                .hasMessageContaining("Locks held here: 'stock:lamp'");
        assertThat(pieces("boat")).isOne();
    }

    @Test
    void eachRowGetsTheTokenOfItsOwnLock() {
        long[] tokens = new long[2];
        transaction.executeWithoutResult(status -> {
            tokens[0] = stock.change("lamp", article -> article.pieces = 2);
            tokens[1] = stock.change("boat", article -> article.pieces = 3);
        });
        assertThat(fence("lamp")).isEqualTo(tokens[0]);
        assertThat(fence("boat")).isEqualTo(tokens[1]);
    }

    @Test
    void oneLockOverBothRowsFencesBoth() {
        long token = stock.move("lamp", "boat");
        assertThat(fence("lamp")).isEqualTo(token);
        assertThat(fence("boat")).isEqualTo(token);
    }

    @Test
    void lockAroundTheTransactionAndReentrantHold() {
        long token = stock.changeInside("lamp", inner -> stock.change("lamp", article -> article.pieces = 4));
        assertThat(fence("lamp")).isEqualTo(token);
    }

    @Test
    void asynchronousMethodIsFenced() {
        stock.changeLater("lamp").join();
        assertThat(pieces("lamp")).isEqualTo(11);
        assertThat(fence("lamp")).isPositive();
    }

    @Test
    void forcedIncrementIsRefused() {
        assertThatThrownBy(() -> stock.touch("lamp")).hasMessageContaining("Force-increment lock not supported");
        assertThat(fence("lamp")).isZero();
    }

    @Test
    void mergeOfAStaleCopyIsRefused() {
        Article copy = stock.find("lamp");
        stock.change("lamp", article -> article.pieces = 2);
        copy.pieces = 50;
        assertThatExceptionOfType(OptimisticLockException.class).isThrownBy(() -> stock.merge("lamp", copy));
    }

    @Test
    void statelessSessionIsFenced() {
        long token = stock.changeInside(
                "lamp",
                id -> stateless(session -> {
                    Article article = session.get(Article.class, id);
                    article.pieces = 3;
                    session.update(article);
                }));
        assertThat(fence("lamp")).isEqualTo(token);
        stock.changeInside("lamp", id -> {
            passOnAndWrite("lamp", 7);
            assertThatExceptionOfType(StaleObjectStateException.class)
                    .isThrownBy(() -> stateless(session -> {
                        session.delete(session.get(Article.class, id));
                    }));
        });
        assertThat(pieces("lamp")).isEqualTo(7);
    }

    private void stateless(Consumer<StatelessSession> work) {
        app.bean(EntityManagerFactory.class).unwrap(SessionFactory.class).inStatelessTransaction(work);
    }

    @Test
    void updateQueryIsNotChecked() {
        transaction.executeWithoutResult(
                status -> entities.createQuery("update Article set pieces = 77 where id = 'lamp'")
                        .executeUpdate());
        assertThat(pieces("lamp")).isEqualTo(77);
    }

    private void passOnAndWrite(String id, int pieces) {
        app.locks().forceRelease("stock:" + id);
        CompletableFuture.runAsync(() -> stock.change(id, article -> article.pieces = pieces))
                .join();
    }

    int pieces(String id) {
        return jdbc.queryForObject("select pieces from Article where id = ?", Integer.class, id);
    }

    private int tags() {
        return jdbc.queryForObject("select count(*) from Article_tags", Integer.class);
    }

    private long fence(String id) {
        return jdbc.queryForObject("select fence from Article where id = ?", Long.class, id);
    }
}
